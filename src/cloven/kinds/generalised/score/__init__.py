"""What an attack on a set-generalised release got right: where eliminations meet the key."""
