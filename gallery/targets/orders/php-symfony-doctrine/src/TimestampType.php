<?php

namespace App;

use Doctrine\DBAL\Platforms\AbstractPlatform;
use Doctrine\DBAL\Types\DateTimeTzImmutableType;

/** PostgreSQL shows fractions of a second where there are some, which Doctrine's own type refuses. */
final class TimestampType extends DateTimeTzImmutableType
{
    public function convertToPHPValue($value, AbstractPlatform $platform): ?\DateTimeImmutable
    {
        return is_string($value) ? new \DateTimeImmutable($value) : $value;
    }
}
