"""Forges that host repositories, GitHub and GitLab: the comment of a gate on a pull request, through their APIs."""
