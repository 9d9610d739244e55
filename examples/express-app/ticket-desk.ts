/** Something a person has to look at. */
export interface Ticket {
  readonly convoId: string;
  readonly assignee: string;
  readonly customer: string;
  readonly summary: string;
}

/** Keeps tickets: in a list here, in a database elsewhere. */
export class TicketDesk {
  readonly #tickets: Ticket[] = [];

  get tickets(): readonly Ticket[] {
    return this.#tickets;
  }

  open(ticket: Ticket): void {
    this.#tickets.push(ticket);
  }
}
