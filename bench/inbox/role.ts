/** The role of one process of the bench, as it is told by an argument. */
export interface Role {
  readonly side: 'receive' | 'work';
  /** This package, or BullMQ as one would use it without. */
  readonly kind: Kind;
  readonly redisUrl: string;
  readonly queueName: string;
  /** Address of a receiver. */
  readonly port: number;
}

export type Kind = 'ours' | 'plain';

export const SECRET = 'bench-workspace-secret';

/** Events that a worker has in its hands at once, with and without this package. */
export const CONCURRENCY = 50;
