"""Figures of measured phases for systems that collect metrics: Prometheus and OpenTelemetry."""
