project_id = "my-project-ultra"
