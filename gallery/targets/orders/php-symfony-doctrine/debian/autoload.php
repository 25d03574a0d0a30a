<?php

// Debian's packages instead of Composer's: the build copies this file to vendor/autoload.php.
require_once 'Doctrine/ORM/autoload.php';
require_once 'phpDocumentor/Reflection/DocBlock/autoload.php';
require_once 'Symfony/Bundle/FrameworkBundle/autoload.php';
require_once 'Symfony/Component/Dotenv/autoload.php';
require_once 'Symfony/Component/PropertyAccess/autoload.php';
require_once 'Symfony/Component/PropertyInfo/autoload.php';
require_once 'Symfony/Component/Serializer/autoload.php';
require_once 'Symfony/Component/Validator/autoload.php';
require_once 'Symfony/Component/Yaml/autoload.php';

spl_autoload_register(static function (string $class): void {
    if (str_starts_with($class, 'App\\')) {
        require dirname(__DIR__).'/src/'.strtr(substr($class, 4), '\\', '/').'.php';
    }
});
