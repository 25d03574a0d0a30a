<?php

namespace App\Request;

use App\Entity\Order;
use Symfony\Component\Validator\Constraints as Assert;

/** The parameters of a page of orders: texts, as a query has them. */
final class Listing
{
    private const WHOLE = '/\A-?\d+\z/';
    private const MAX_WHOLE = 2 ** 53 - 1;

    #[Assert\NotBlank]
    #[Assert\Regex(self::WHOLE)]
    #[Assert\Range(min: -self::MAX_WHOLE, max: self::MAX_WHOLE)]
    public string $customer;

    #[Assert\Choice(Order::STATUSES)]
    public ?string $status = null;

    #[Assert\NotBlank(allowNull: true)]
    #[Assert\Regex(self::WHOLE)]
    #[Assert\Range(min: -self::MAX_WHOLE, max: self::MAX_WHOLE)]
    public ?string $after = null;

    #[Assert\NotBlank]
    #[Assert\Regex(self::WHOLE)]
    #[Assert\Range(min: 1, max: 100)]
    public string $limit = '20';
}
