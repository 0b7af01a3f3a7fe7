project_id = "my-project"
region     = "us-east4"
