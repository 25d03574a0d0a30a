<?php

namespace App;

use Doctrine\DBAL\DriverManager;
use Doctrine\DBAL\Tools\DsnParser;
use Doctrine\DBAL\Types\Type;
use Doctrine\DBAL\Types\Types;
use Doctrine\ORM\EntityManager;
use Doctrine\ORM\EntityManagerInterface;
use Doctrine\ORM\ORMSetup;
use Psr\Cache\CacheItemPoolInterface;

final class EntityManagerFactory
{
    private const CONNECT_TIMEOUT_S = 2;

    // Each process of FPM keeps its connection.
    public static function create(string $url, string $projectDir, CacheItemPoolInterface $cache): EntityManagerInterface
    {
        Type::overrideType(Types::DATETIMETZ_IMMUTABLE, TimestampType::class);
        $configuration = ORMSetup::createAttributeMetadataConfiguration([$projectDir.'/src/Entity'], false, $projectDir.'/var/proxies', $cache);
        if (\PHP_VERSION_ID >= 80400) {
            // Doctrine ORM 3 has them in place of the proxies that the build writes.
            $configuration->enableNativeLazyObjects(true);
        }
        $parameters = (new DsnParser(['postgresql' => 'pdo_pgsql']))->parse($url);
        $parameters += ['persistent' => true, 'driverOptions' => [\PDO::ATTR_TIMEOUT => self::CONNECT_TIMEOUT_S]];

        return new EntityManager(DriverManager::getConnection($parameters, $configuration), $configuration);
    }
}
