<?php

namespace App\Entity;

use Doctrine\ORM\Mapping as ORM;

#[ORM\Entity, ORM\Table(name: 'order_lines')]
class OrderLine
{
    #[ORM\Id, ORM\GeneratedValue, ORM\Column]
    private ?int $id = null;

    public function __construct(
        #[ORM\ManyToOne(inversedBy: 'lines'), ORM\JoinColumn(nullable: false, onDelete: 'CASCADE')]
        private Order $order,
        #[ORM\Column]
        private int $position,
        #[ORM\Column(type: 'text')]
        private string $sku,
        #[ORM\Column]
        private int $quantity,
        #[ORM\Column(name: 'unit_price_cents')]
        private int $unitPriceCents,
    ) {
    }

    /** @return array<string, mixed> */
    public function described(): array
    {
        return ['sku' => $this->sku, 'quantity' => $this->quantity, 'unitPriceCents' => $this->unitPriceCents];
    }
}
