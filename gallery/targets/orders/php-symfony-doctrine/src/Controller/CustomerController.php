<?php

namespace App\Controller;

use App\Entity\Customer;
use App\Entity\Order;
use Doctrine\ORM\EntityManagerInterface;
use Symfony\Bundle\FrameworkBundle\Controller\AbstractController;
use Symfony\Component\HttpFoundation\JsonResponse;

final class CustomerController extends AbstractController
{
    public function summary(int $id, EntityManagerInterface $entityManager): JsonResponse
    {
        $customer = $entityManager->find(Customer::class, $id) ?? throw $this->createNotFoundException('not found');
        $groups = $entityManager->createQuery(
            'SELECT o.status, COUNT(o.id) AS orders, SUM(o.totalCents) AS cents FROM App\Entity\Order o
             WHERE o.customer = :customer GROUP BY o.status',
        )->setParameter('customer', $id)->getArrayResult();

        return $this->json([
            'customerId' => $id,
            'name' => $customer->getName(),
            'orderCount' => array_sum(array_column($groups, 'orders')),
            'totalCents' => array_sum(array_map('intval', array_column($groups, 'cents'))),
            'byStatus' => array_column($groups, 'orders', 'status') + array_fill_keys(Order::STATUSES, 0),
        ]);
    }
}
