package io.bakeoff.events.architecture.planted.storage;

import io.bakeoff.events.architecture.planted.transport.PlantedTransport;

/** One half of a planted cycle, with which a test shows that cycles are detected. */
public record PlantedStorage(PlantedTransport usedBy) {}
