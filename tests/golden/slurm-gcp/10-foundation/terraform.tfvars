project_id          = "my-project-dev"
region              = "us-east4"
deletion_protection = true
