project_id = "my-project"
