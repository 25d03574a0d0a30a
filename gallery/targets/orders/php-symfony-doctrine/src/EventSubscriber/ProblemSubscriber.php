<?php

namespace App\EventSubscriber;

use Psr\Log\LoggerInterface;
use Symfony\Component\EventDispatcher\EventSubscriberInterface;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpKernel\Event\ExceptionEvent;
use Symfony\Component\HttpKernel\Exception\HttpExceptionInterface;
use Symfony\Component\HttpKernel\KernelEvents;
use Symfony\Component\Serializer\Exception\ExceptionInterface as SerializerException;
use Symfony\Component\Validator\Exception\ValidationFailedException;

/** Errors as problems of RFC 9457. */
final class ProblemSubscriber implements EventSubscriberInterface
{
    // Before Symfony's own listener, which logs each refused request.
    private const PRIORITY = 10;

    public function __construct(private LoggerInterface $logger)
    {
    }

    public static function getSubscribedEvents(): array
    {
        return [KernelEvents::EXCEPTION => ['onException', self::PRIORITY]];
    }

    public function onException(ExceptionEvent $event): void
    {
        $error = $event->getThrowable();
        [$status, $detail] = match (true) {
            $error instanceof ValidationFailedException => [400, self::firstOf($error)],
            $error instanceof SerializerException => [400, $error->getMessage()],
            $error instanceof HttpExceptionInterface => [$error->getStatusCode(), $error->getMessage()],
            default => [500, 'the request could not be processed'],
        };
        if (500 === $status) {
            $this->logger->critical($error->getMessage(), ['exception' => $error]);
        }
        $title = Response::$statusTexts[$status];
        $event->setResponse(new JsonResponse(
            ['type' => 'about:blank', 'title' => $title, 'status' => $status, 'detail' => $detail],
            $status,
            ['Content-Type' => 'application/problem+json'],
        ));
    }

    private static function firstOf(ValidationFailedException $error): string
    {
        $first = $error->getViolations()->get(0);

        return $first->getPropertyPath().': '.$first->getMessage();
    }
}
