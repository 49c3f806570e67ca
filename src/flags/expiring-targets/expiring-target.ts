// What an expiring target is: a context that is a target of a flag or a segment, but only up to a certain time.

export type ResourceKind = 'flag' | 'segment';

/** Whose target it is. */
export interface Owner {
  resourceKind: ResourceKind;
  resourceId: string;
  environmentId: string;
}

export interface ExpiringTarget extends Owner {
  id: string;
  /** What the context is a target of: the ID of a variation, or `included` or `excluded`. A context expires at one place only. */
  place: string;
  contextKind: string;
  contextKey: string;
  expiresAt: number;
  version: number;
}
