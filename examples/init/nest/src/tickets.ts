// Your own service. It takes tickets, and knows nothing of webhooks.
import { Injectable, Logger } from '@nestjs/common';

export interface Ticket {
  /** The same for every run of an event: a ticket system recognises a second run by it. */
  readonly key: string;
  readonly customer: string;
  readonly lastMessage: string;
}

@Injectable()
export class Tickets {
  readonly #log = new Logger(Tickets.name);

  async open(ticket: Ticket): Promise<void> {
    this.#log.log(`ticket for ${ticket.customer}`); // yours: write it to your ticket system
  }
}
