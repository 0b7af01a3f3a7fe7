project_id = "my-project"
region     = "us-east4"
zone       = "us-east4-b"
