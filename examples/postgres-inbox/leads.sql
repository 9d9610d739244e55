-- Your own table, as your migrations make it. The inbox makes its tables itself, in the schema agent_platform.
CREATE TABLE IF NOT EXISTS leads (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text,
  email text
);
