<?php

namespace App;

use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpKernel\Exception\BadRequestHttpException;
use Symfony\Component\Serializer\Encoder\CsvEncoder;
use Symfony\Component\Serializer\Encoder\JsonDecode;
use Symfony\Component\Serializer\Normalizer\DenormalizerInterface;
use Symfony\Component\Serializer\SerializerInterface;
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
    public function read(Request $request, string $class): object
    {
        // In a query, as in CSV, numbers are texts. JSON as arrays: {"0": …} would be the same as […].
        $read = $request->isMethod('GET')
            ? $this->denormalizer->denormalize($request->query->all(), $class, CsvEncoder::FORMAT)
            : $this->serializer->deserialize($request->getContent(), $class, 'json', [JsonDecode::ASSOCIATIVE => false]);
        foreach ($this->validator->validate($read) as $violation) {
            throw new BadRequestHttpException($violation->getPropertyPath().': '.$violation->getMessage());
        }

        return $read;
    }
}
