// The tables of revisions: what has changed in each environment, in the order of commits.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    delivery_revisions: DeliveryRevisionRow;
    delivery_items: DeliveryItemRow;
  }
}

/** Rises by one with every change that SDKs may have to hear of. Changes of one environment commit one after the other. */
export interface DeliveryRevisionRow {
  environment_id: string;
  revision: number;
}

/** The revision at which a flag or segment last changed, also by its deletion. */
export interface DeliveryItemRow {
  environment_id: string;
  kind: ItemKind;
  key: string;
  revision: number;
}

/** `environment` has the key '' and stands for the environment itself and everything in it. */
export type ItemKind = 'flag' | 'segment' | 'environment';
