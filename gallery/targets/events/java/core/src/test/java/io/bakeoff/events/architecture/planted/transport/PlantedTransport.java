package io.bakeoff.events.architecture.planted.transport;

import io.bakeoff.events.architecture.planted.storage.PlantedStorage;

/** The other half of a planted cycle. */
public record PlantedTransport(PlantedStorage storage) {}
