project_id = "my-project-dev"
