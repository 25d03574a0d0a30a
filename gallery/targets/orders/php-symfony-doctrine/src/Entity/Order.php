<?php

namespace App\Entity;

use App\Request\Line;
use Doctrine\Common\Collections\ArrayCollection;
use Doctrine\Common\Collections\Collection;
use Doctrine\ORM\Mapping as ORM;

#[ORM\Entity, ORM\Table(name: 'orders')]
class Order
{
    public const STATUSES = ['new', 'paid', 'shipped', 'cancelled'];

    #[ORM\Id, ORM\GeneratedValue, ORM\Column]
    private ?int $id = null;

    #[ORM\Column(type: 'text')]
    private string $status = 'new';

    #[ORM\Column(name: 'total_cents')]
    private int $totalCents = 0;

    #[ORM\Column]
    private int $version = 1;

    #[ORM\Column(name: 'created_at', type: 'datetimetz_immutable')]
    private \DateTimeImmutable $createdAt;

    /** @var Collection<int, OrderLine> */
    #[ORM\OneToMany(mappedBy: 'order', targetEntity: OrderLine::class, cascade: ['persist'])]
    #[ORM\OrderBy(['position' => 'ASC'])]
    private Collection $lines;

    public function __construct(
        #[ORM\ManyToOne, ORM\JoinColumn(nullable: false)]
        private Customer $customer,
    ) {
        $this->createdAt = new \DateTimeImmutable();
        $this->lines = new ArrayCollection();
    }

    public function addLine(Line $wanted): void
    {
        $position = count($this->lines) + 1;
        $this->lines->add(new OrderLine($this, $position, $wanted->sku, $wanted->quantity, $wanted->unitPriceCents));
        $this->totalCents += $wanted->quantity * $wanted->unitPriceCents;
    }

    public function getId(): ?int
    {
        return $this->id;
    }

    public function getVersion(): int
    {
        return $this->version;
    }

    /** @return array<string, mixed> */
    public function described(): array
    {
        return [
            'id' => $this->id,
            'customerId' => $this->customer->getId(),
            'status' => $this->status,
            'totalCents' => $this->totalCents,
            'version' => $this->version,
            'createdAt' => $this->createdAt->format(\DateTimeInterface::RFC3339),
        ];
    }

    /** @return array<string, mixed> */
    public function describedWithLines(): array
    {
        $lines = $this->lines->map(static fn (OrderLine $line): array => $line->described());

        return $this->described() + ['lines' => $lines->getValues()];
    }
}
