<?php

namespace App\Request;

use Symfony\Component\Validator\Constraints as Assert;

final class Line
{
    #[Assert\NotBlank, Assert\Regex('/\A[A-Z0-9-]{1,40}\z/')]
    public string $sku;

    #[Assert\NotNull, Assert\Range(min: 1, max: 1000)]
    public int $quantity;

    #[Assert\NotNull, Assert\Range(min: 0, max: 10_000_000)]
    public int $unitPriceCents;
}
