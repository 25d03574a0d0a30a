<?php

namespace App\Entity;

use App\Request\Line;
use Doctrine\ORM\Mapping as ORM;

#[ORM\Entity]
#[ORM\Table(name: 'order_lines')]
class OrderLine
{
    #[ORM\Id]
    #[ORM\GeneratedValue]
    #[ORM\Column]
    private ?int $id = null;

    #[ORM\ManyToOne(inversedBy: 'lines')]
    #[ORM\JoinColumn(nullable: false, onDelete: 'CASCADE')]
    private Order $order;

    #[ORM\Column]
    private int $position;

    #[ORM\Column(type: 'text')]
    private string $sku;

    #[ORM\Column]
    private int $quantity;

    #[ORM\Column(name: 'unit_price_cents')]
    private int $unitPriceCents;

    public function __construct(Order $order, int $position, Line $wanted)
    {
        $this->order = $order;
        $this->position = $position;
        $this->sku = $wanted->sku;
        $this->quantity = $wanted->quantity;
        $this->unitPriceCents = $wanted->unitPriceCents;
    }

    /** @return array<string, mixed> */
    public function described(): array
    {
        return ['sku' => $this->sku, 'quantity' => $this->quantity, 'unitPriceCents' => $this->unitPriceCents];
    }
}
