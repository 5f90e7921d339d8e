-- Which key an API key was rotated to: its life was cut short for that, so that no other may take its life over from it.
ALTER TABLE api_keys ADD COLUMN followed_by TEXT NOT NULL DEFAULT '';
