// The tables of what SDKs report.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    flag_evaluations: FlagEvaluationRow;
    flag_context_kinds: FlagContextKindRow;
    flag_event_payloads: FlagEventPayloadRow;
  }
}

/** How often a flag was evaluated in an hour, or in a day where the rows of its hours have been added up. */
export interface FlagEvaluationRow {
  environment_id: string;
  /** Empty for all keys together that are no flags which the SDK could know. */
  flag_key: string;
  /** The beginning of the hour or day. */
  hour: number;
  /** -1 where the code got its default, or the variation is unknown. */
  variation: number;
  /** Of the flag; 0 if unknown. */
  version: number;
  /** Name and version, like `NodeJSClient/9.13.7`. */
  sdk: string;
  count: number;
}

/** A flag was evaluated for contexts of this kind, at this time for the last time, or a little later. */
export interface FlagContextKindRow {
  environment_id: string;
  flag_id: string;
  kind: string;
  seen_at: number;
}

/** A payload that has been counted. It is remembered for as long as an SDK may send it again. */
export interface FlagEventPayloadRow {
  environment_id: string;
  payload_id: string;
  received_at: number;
}
