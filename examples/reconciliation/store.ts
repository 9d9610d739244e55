// Keeps which conversations events have named, and up to when each is known, in your own Postgres: it outlasts restarts, and several
// processes may share it.
import type { Pool } from 'pg';

export interface ConversationKey {
  readonly agentId: string;
  readonly convoId: string;
}

/** A conversation that an event has named, and that nothing later has shown. */
export interface Unseen extends ConversationKey {
  /** `createdAt` of the newest event that names it. */
  readonly heard: number;
}

export type ConversationStore = Awaited<ReturnType<typeof openStore>>;

/** Creates the table when it is first run. `quiet` is how many milliseconds to wait for a later update. */
export async function openStore(pool: Pool, quiet: number) {
  // `heard` and `shown` are times of the service, and only compared with each other; `due` is a time of this database.
  await pool.query(`CREATE TABLE IF NOT EXISTS conversations (
    agent_id text, convo_id text, PRIMARY KEY (agent_id, convo_id),
    heard double precision NOT NULL DEFAULT 0, shown double precision NOT NULL DEFAULT 0, due timestamptz)`);

  return {
    /** An event has named the conversation: an update that is at least as new is awaited. */
    async heardOf({ agentId, convoId }: ConversationKey, createdAt: number): Promise<void> {
      await pool.query(
        `INSERT INTO conversations AS c (agent_id, convo_id, heard, due)
        VALUES ($1, $2, $3, now() + $4 * interval '1 millisecond')
        ON CONFLICT (agent_id, convo_id) DO UPDATE SET heard = excluded.heard, due = excluded.due
        WHERE c.heard < excluded.heard`,
        [agentId, convoId, createdAt, quiet],
      );
    },

    /** The conversation is known as it was at `createdAt`. */
    async shown({ agentId, convoId }: ConversationKey, createdAt: number): Promise<void> {
      await pool.query(
        `INSERT INTO conversations AS c (agent_id, convo_id, shown) VALUES ($1, $2, $3)
        ON CONFLICT (agent_id, convo_id) DO UPDATE SET shown = greatest(c.shown, excluded.shown)`,
        [agentId, convoId, createdAt],
      );
    },

    /** The conversations that have been quiet for long enough. */
    async unseen(): Promise<Unseen[]> {
      const { rows } = await pool.query<Unseen>(
        `SELECT agent_id AS "agentId", convo_id AS "convoId", heard FROM conversations
        WHERE heard > shown AND due <= now() ORDER BY due LIMIT 100`,
      );
      return rows;
    },

    /** Reading has failed: it is tried again after another quiet time, and does not keep the others waiting. */
    async postpone({ agentId, convoId }: ConversationKey): Promise<void> {
      await pool.query(
        `UPDATE conversations SET due = now() + $3 * interval '1 millisecond'
        WHERE agent_id = $1 AND convo_id = $2`,
        [agentId, convoId, quiet],
      );
    },
  };
}
