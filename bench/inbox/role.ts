/** What one process of the bench does, as it is told by an argument. */
export interface Role {
  readonly side: 'receive' | 'work';
  /** This package, or BullMQ as one would use it without. */
  readonly kind: Kind;
  readonly redisUrl: string;
  readonly queueName: string;
  /** Where a receiver listens. */
  readonly port: number;
}

export type Kind = 'ours' | 'plain';

export const SECRET = 'bench-workspace-secret';

/** How many events a worker has in its hands at once, with and without this package. */
export const CONCURRENCY = 50;
