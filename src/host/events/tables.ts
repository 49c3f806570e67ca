// The tables of events and feeds.
import type { Generated } from 'kysely';

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    host_events: HostEventRow;
    host_feeds: HostFeedRow;
  }
}

export interface HostEventRow {
  /** In one queue of webhooks, larger numbers are committed later. */
  number: Generated<number>;
  at: number;
  /** The webhook's name. */
  name: string;
  action: string | null;
  /** The account; null where the program itself or its operator did it. */
  actor_id: string | null;
  repository_number: number | null;
  /** The owner of the repository, where that is an organization. */
  organization_id: string | null;
  /** The app, of events of its installations. */
  app_number: number | null;
  /** Whether the repository was public then. */
  is_public: number;
  /** JSON: what feeds show of it, which is far less than webhooks receive; null where they do not show it. */
  feed: string | null;
  /** JSON: the members of the webhook's payload beside action, repository, organization and sender. */
  details: string;
  /** JSON: repository, organization and sender as they were then. */
  snapshot: string;
}

/** An event in one of the feeds that show it. */
export interface HostFeedRow {
  /** Of everybody, a network, a repository, an organization or an actor. */
  feed: string;
  /** Whether the repository was public then. */
  is_public: number;
  event_number: number;
  repository_number: number;
}
