<?php

namespace App\Controller;

use Doctrine\ORM\EntityManagerInterface;
use Symfony\Bundle\FrameworkBundle\Controller\AbstractController;
use Symfony\Component\HttpFoundation\JsonResponse;

final class HealthController extends AbstractController
{
    public function show(EntityManagerInterface $entityManager): JsonResponse
    {
        $entityManager->getConnection()->executeQuery('SELECT 1');

        return $this->json(['status' => 'ok']);
    }
}
