"""Programs in containers: started by Docker's client and observed by its API, and engines in Kubernetes pods."""
