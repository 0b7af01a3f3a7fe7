project_id          = "my-project"
region              = "us-east4"
deletion_protection = true
