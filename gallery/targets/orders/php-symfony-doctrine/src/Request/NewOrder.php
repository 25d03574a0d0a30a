<?php

namespace App\Request;

use Symfony\Component\Validator\Constraints as Assert;

final class NewOrder
{
    #[Assert\NotNull]
    public int $customerId;

    /** @var Line[] */
    #[Assert\NotNull, Assert\Count(min: 1, max: 20), Assert\Valid]
    public array $lines;
}
