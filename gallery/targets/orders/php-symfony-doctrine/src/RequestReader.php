<?php

namespace App;

use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\Serializer\Encoder\JsonDecode;
use Symfony\Component\Serializer\Normalizer\DenormalizerInterface;
use Symfony\Component\Serializer\SerializerInterface;
use Symfony\Component\Validator\Exception\ValidationFailedException;
use Symfony\Component\Validator\Validator\ValidatorInterface;

/** Reads what a client sends as an object of src/Request, and validates it. */
final class RequestReader
{
    public function __construct(
        private SerializerInterface $serializer,
        private DenormalizerInterface $denormalizer,
        private ValidatorInterface $validator,
    ) {
    }

    /**
     * @template T of object
     *
     * @param class-string<T> $class
     *
     * @return T
     */
    public function body(Request $request, string $class): object
    {
        // As an array, {"0": …} would be the same as […].
        $context = [JsonDecode::ASSOCIATIVE => false];

        return $this->valid($this->serializer->deserialize($request->getContent(), $class, 'json', $context));
    }

    /**
     * @template T of object
     *
     * @param class-string<T> $class
     *
     * @return T
     */
    public function query(Request $request, string $class): object
    {
        return $this->valid($this->denormalizer->denormalize($request->query->all(), $class));
    }

    private function valid(object $read): object
    {
        $violations = $this->validator->validate($read);
        if (count($violations) > 0) {
            throw new ValidationFailedException($read, $violations);
        }

        return $read;
    }
}
