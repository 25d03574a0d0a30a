<?php

namespace App;

use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Component\HttpKernel\Kernel as BaseKernel;

final class Kernel extends BaseKernel
{
    use MicroKernelTrait;

    // Without Composer no composer.json is there to find it by.
    public function getProjectDir(): string
    {
        return dirname(__DIR__);
    }
}
