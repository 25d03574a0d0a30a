<?php

namespace App\Request;

use App\Entity\Order;
use Symfony\Component\Validator\Constraints as Assert;

final class Change
{
    #[Assert\NotNull, Assert\Choice(choices: Order::STATUSES)]
    public string $status;

    #[Assert\NotNull]
    public int $version;
}
