<?php

namespace App\Controller;

use Symfony\Bundle\FrameworkBundle\Controller\AbstractController;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Exception\HttpExceptionInterface;

/** Errors as problems of RFC 9457. */
final class ProblemController extends AbstractController
{
    public function show(\Throwable $exception): JsonResponse
    {
        $status = $exception instanceof HttpExceptionInterface ? $exception->getStatusCode() : 500;

        return $this->json([
            'type' => 'about:blank',
            'title' => Response::$statusTexts[$status],
            'status' => $status,
            'detail' => $status < 500 ? $exception->getMessage() : 'the request could not be processed',
        ], $status, ['Content-Type' => 'application/problem+json']);
    }
}
