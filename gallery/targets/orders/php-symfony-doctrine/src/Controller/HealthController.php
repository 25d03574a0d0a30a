<?php

namespace App\Controller;

use Doctrine\DBAL\Exception as DatabaseException;
use Doctrine\ORM\EntityManagerInterface;
use Symfony\Bundle\FrameworkBundle\Controller\AbstractController;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpKernel\Exception\ServiceUnavailableHttpException;

final class HealthController extends AbstractController
{
    public function show(EntityManagerInterface $entityManager): JsonResponse
    {
        try {
            $entityManager->getConnection()->executeQuery('SELECT 1');
        } catch (DatabaseException) {
            throw new ServiceUnavailableHttpException(null, 'PostgreSQL does not answer');
        }

        return $this->json(['status' => 'ok']);
    }
}
