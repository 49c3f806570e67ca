// Bounds how many different rows an environment adds per hour: who knows a public key can make up versions and SDKs.
import { NO_VARIATION, NO_VERSION } from './payload.ts';
import { OTHER_SDKS } from './sdk-name.ts';
import type { FlagEvaluationRow } from './tables.ts';

export interface RowBounds {
  /** Rows with all details; some more may have the variation only. */
  maxRows?: number;
  maxSdks?: number;
}

interface EnvironmentRows {
  rows: Set<string>;
  sdks: Set<string>;
}

export type NewRow = Omit<FlagEvaluationRow, 'count'>;

export class RowBudget {
  readonly #maxRows: number;
  readonly #maxSdks: number;
  #hour = 0;
  readonly #environments = new Map<string, EnvironmentRows>();

  constructor({ maxRows = 50_000, maxSdks = 50 }: RowBounds = {}) {
    this.#maxRows = maxRows;
    this.#maxSdks = maxSdks;
  }

  /** The row itself, or one with fewer details where the environment has too many in this hour. */
  fit(row: NewRow): NewRow {
    const { rows, sdks } = this.#openHour(row);
    const named = sdks.has(row.sdk) || sdks.size < this.#maxSdks ? row : { ...row, sdk: OTHER_SDKS };
    if (hasRoom(rows, named, this.#maxRows)) {
      sdks.add(named.sdk);
      return named;
    }
    const plain = { ...row, version: NO_VERSION, sdk: OTHER_SDKS };
    // A fifth more, so that made-up versions do not hide which variations are served.
    return hasRoom(rows, plain, this.#maxRows * 1.2) ? plain : { ...plain, variation: NO_VARIATION };
  }

  #openHour({ environment_id, hour }: NewRow): EnvironmentRows {
    if (hour > this.#hour) {
      this.#environments.clear();
      this.#hour = hour;
    }
    let known = this.#environments.get(environment_id);
    if (known === undefined)
      this.#environments.set(environment_id, (known = { rows: new Set(), sdks: new Set() }));
    return known;
  }
}

function hasRoom(rows: Set<string>, { flag_key, variation, version, sdk }: NewRow, most: number): boolean {
  const name = `${flag_key} ${variation} ${version} ${sdk}`;
  if (rows.has(name)) return true;
  if (rows.size >= most) return false;
  rows.add(name);
  return true;
}
