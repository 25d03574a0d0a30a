<?php

// Any other release than that of the labels in target.toml is refused.
require dirname(__DIR__).'/vendor/autoload.php';

$releases = [
    'PHP' => [\PHP_VERSION, '8.2.'],
    'Symfony' => [Symfony\Component\HttpKernel\Kernel::VERSION, '5.4.'],
    'Doctrine ORM' => [Doctrine\ORM\Version::VERSION, '2.14.'],
];
foreach ($releases as $name => [$found, $wanted]) {
    if (!str_starts_with($found, $wanted)) {
        fwrite(\STDERR, "$name $found is installed, and the labels in target.toml name {$wanted}x.\n");
        exit(1);
    }
    echo "$name $found\n";
}
