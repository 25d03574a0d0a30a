<?php

namespace App\Request;

use App\Entity\Order;
use Symfony\Component\Validator\Constraints as Assert;

/** The parameters of a page of orders. */
final class Listing
{
    private const MAX_WHOLE = 2 ** 53 - 1;

    #[Assert\NotNull, Assert\Range(min: -self::MAX_WHOLE, max: self::MAX_WHOLE)]
    public int $customer;

    #[Assert\Choice(choices: Order::STATUSES)]
    public ?string $status = null;

    // Not set where absent: the serializer would read an empty text as null.
    #[Assert\Range(min: -self::MAX_WHOLE, max: self::MAX_WHOLE)]
    public int $after;

    #[Assert\Range(min: 1, max: 100)]
    public int $limit = 20;
}
