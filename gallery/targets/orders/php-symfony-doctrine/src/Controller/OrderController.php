<?php

namespace App\Controller;

use App\Entity\Customer;
use App\Entity\Order;
use App\Request\Change;
use App\Request\Listing;
use App\Request\NewOrder;
use App\RequestReader;
use Doctrine\DBAL\Exception\ForeignKeyConstraintViolationException;
use Doctrine\ORM\EntityManagerInterface;
use Symfony\Bundle\FrameworkBundle\Controller\AbstractController;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Exception\BadRequestHttpException;
use Symfony\Component\HttpKernel\Exception\ConflictHttpException;

final class OrderController extends AbstractController
{
    public function __construct(private EntityManagerInterface $entityManager, private RequestReader $reader)
    {
    }

    public function create(Request $request): JsonResponse
    {
        $wanted = $this->reader->read($request, NewOrder::class);
        $order = new Order($this->entityManager->getReference(Customer::class, $wanted->customerId));
        foreach ($wanted->lines as $line) {
            $order->addLine($line);
        }
        $this->entityManager->persist($order);
        try {
            $this->entityManager->flush();
        } catch (ForeignKeyConstraintViolationException) {
            throw new BadRequestHttpException('customerId: no such customer');
        }
        $location = $this->generateUrl('orders_get', ['id' => $order->getId()]);

        return $this->json($order->describedWithLines(), Response::HTTP_CREATED, ['Location' => $location]);
    }

    public function list(Request $request): JsonResponse
    {
        $wanted = $this->reader->read($request, Listing::class);
        $query = $this->entityManager->createQueryBuilder()->select('o')->from(Order::class, 'o')
            ->where('o.customer = :customer')->setParameter('customer', $wanted->customer)
            ->orderBy('o.id', 'DESC')->setMaxResults($wanted->limit);
        if (null !== $wanted->status) {
            $query->andWhere('o.status = :status')->setParameter('status', $wanted->status);
        }
        if (isset($wanted->after)) {
            $query->andWhere('o.id < :after')->setParameter('after', $wanted->after);
        }
        $orders = $query->getQuery()->getResult();

        return $this->json([
            'items' => array_map(static fn (Order $order): array => $order->described(), $orders),
            'nextAfter' => count($orders) === $wanted->limit ? end($orders)->getId() : null,
        ]);
    }

    public function show(int $id): JsonResponse
    {
        return $this->json($this->found($id)->describedWithLines());
    }

    // The ORM's own lock leaves the version as it is where the status does not change.
    public function update(int $id, Request $request): JsonResponse
    {
        $wanted = $this->reader->read($request, Change::class);
        $order = $this->found($id);
        if ($wanted->version !== $order->getVersion() || !$this->changed($id, $wanted)) {
            throw new ConflictHttpException('version: the order has another version');
        }

        return $this->json(['status' => $wanted->status, 'version' => $wanted->version + 1] + $order->described());
    }

    // PostgreSQL deletes the lines with their order.
    public function delete(int $id): Response
    {
        $delete = $this->entityManager->createQuery('DELETE App\Entity\Order o WHERE o.id = :id');
        if (0 === $delete->setParameter('id', $id)->execute()) {
            throw $this->createNotFoundException('not found');
        }

        return new Response(null, Response::HTTP_NO_CONTENT);
    }

    private function found(int $id): Order
    {
        return $this->entityManager->find(Order::class, $id) ?? throw $this->createNotFoundException('not found');
    }

    private function changed(int $id, Change $wanted): bool
    {
        $update = $this->entityManager->createQuery(
            'UPDATE App\Entity\Order o SET o.status = :status, o.version = o.version + 1
             WHERE o.id = :id AND o.version = :version',
        );

        return 1 === $update->execute(['status' => $wanted->status, 'id' => $id, 'version' => $wanted->version]);
    }
}
