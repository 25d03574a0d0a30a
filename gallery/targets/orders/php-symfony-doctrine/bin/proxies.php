<?php

// Doctrine's proxies, and the versions of what the labels in target.toml name.
use App\EntityManagerFactory;
use Symfony\Component\Cache\Adapter\ArrayAdapter;
use Symfony\Component\HttpKernel\Kernel;

require dirname(__DIR__).'/vendor/autoload.php';

$entityManager = EntityManagerFactory::create('postgresql://nobody@localhost/none?serverVersion=15', dirname(__DIR__), new ArrayAdapter());
$entityManager->getProxyFactory()->generateProxyClasses($entityManager->getMetadataFactory()->getAllMetadata());
