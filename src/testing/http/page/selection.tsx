import type { Child } from 'hono/jsx';
import type { Region } from '../../../utils/regions.js';

export const TABS = ['requests', 'records', 'webhooks', 'faults', 'settings'] as const;

/** The name of a tab. */
export type Tab = (typeof TABS)[number];

/** What the address of the page selects. */
export interface Selection {
  readonly tab: Tab;
  readonly region: Region;
  /** The selected collection, event type or kind of fault. */
  readonly kind: string;
  /** The selected row. */
  readonly id: string;
}

/** A link to another selection. */
export function Link(props: { to: Selection; isCurrent: boolean; children: Child }) {
  const query = new URLSearchParams({ ...props.to }).toString();
  return (
    <a href={`/?${query}`} aria-current={props.isCurrent ? 'page' : undefined}>
      {props.children}
    </a>
  );
}
