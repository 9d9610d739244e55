import type { Child } from 'hono/jsx';
import type { Region } from '../../../utils/regions.js';
import type { ControlledFake } from '../controlled-fake.js';

/** The tabs beside the list. A new page shows the first one. */
export const TABS = ['settings', 'details', 'events', 'faults', 'records'] as const;

/** The selection in the address of the page. */
export interface Selection {
  readonly tab: (typeof TABS)[number];
  readonly region: Region;
  /** The event type, the kind of fault, or the collection. */
  readonly kind: string;
  /** The selected row, or record. */
  readonly id: string;
  /** The words that each row of the list contains. */
  readonly filter: string;
}

/** The properties of a tab. */
export interface TabProps {
  readonly fake: ControlledFake;
  readonly selection: Selection;
  /** The address of the fake. */
  readonly origin: string;
}

/** The address of a selection. */
export function hrefOf(selection: Selection): string {
  return `/?${new URLSearchParams({ ...selection }).toString()}`;
}

/** A link to another selection. */
export function Link({ to, isCurrent, children }: { to: Selection; isCurrent?: boolean; children: Child }) {
  return (
    <a href={hrefOf(to)} aria-current={isCurrent === true ? 'page' : undefined}>
      {children}
    </a>
  );
}
