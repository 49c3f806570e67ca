// Leases on the rows of a table: a claim holds a row until a time, and whatever is written on behalf of a claim compares it.
import type {
  Expression,
  ExpressionBuilder,
  QueryCreator,
  Selectable,
  SqlBool,
  Updateable,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely';
import { buildOnce } from '../storage/build-once.ts';
import type { Db, Tables } from '../storage/tables.ts';

/** A claim on a row. Its owner is unique for each claim, so that a claimer who lost the lease can change nothing. */
export interface Lease {
  id: string;
  owner: string | null;
}

type LeasedTable = {
  [Table in keyof Tables]: Selectable<Tables[Table]> extends Lease ? Table : never;
}[keyof Tables];

interface LeaseColumns<Column> {
  /** When the lease ends, unless it is renewed before. */
  until: Column;
  /** How often the row has been claimed. */
  claims: Column;
}

/** What the functions below know of the table, whatever its name and the names of its columns are. */
interface LeasedRows {
  leased: Lease & { until: number | null; claims: number };
}

let claims = 0;

/** The owner of a new claim. The claimer is a name that no other process has. */
export function newOwner(claimer: string): string {
  claims += 1;
  return `${claimer}${claims}`;
}

/** Says by the row of `lock` whether the claim is still valid. */
export function isHeld([row]: readonly Pick<Lease, 'owner'>[], { owner }: Lease): boolean {
  return row?.owner === owner;
}

export function leasesOf<Table extends LeasedTable>(
  table: Table,
  columns: LeaseColumns<keyof Tables[Table]>,
) {
  type Update<All extends Tables> = UpdateQueryBuilder<All, Table, Table, UpdateResult>;
  const { until: untilColumn, claims: claimsColumn } = columns as LeaseColumns<'until' | 'claims'>;
  const leased = table as unknown as 'leased';
  const rows = <All extends Tables>(db: QueryCreator<All>) => db as unknown as QueryCreator<LeasedRows>;

  const isHeldBy =
    ({ id, owner }: Lease) =>
    (eb: ExpressionBuilder<LeasedRows, 'leased'>): Expression<SqlBool> =>
      eb.and([eb('id', '=', id), eb('owner', '=', owner)]);

  /** Changes the row. False if the claim was lost: a transaction should then roll back. */
  async function change(db: Db, lease: Lease, to: Updateable<Tables[Table]>): Promise<boolean> {
    const { numUpdatedRows } = await rows(db)
      .updateTable(leased)
      .set(to)
      .where(isHeldBy(lease))
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  }

  /** Deletes the row. False if the claim was lost: a transaction should then roll back. */
  async function finish(db: Db, lease: Lease): Promise<boolean> {
    const { numDeletedRows } = await rows(db)
      .deleteFrom(leased)
      .where(isHeldBy(lease))
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }

  return {
    change,
    finish,

    /** Claims rows; the caller adds which. */
    claim: <All extends Tables>(db: QueryCreator<All>, owner: string, until: number): Update<All> =>
      rows(db)
        .updateTable(leased)
        .set((eb) => ({
          owner,
          [untilColumn]: until,
          [claimsColumn]: eb(claimsColumn, '+', 1),
        })) as unknown as Update<All>,

    /** Extends the leases of those of the claims that are still valid. */
    renew: (db: Db, owners: readonly string[], until: number): Update<Tables> =>
      rows(db)
        .updateTable(leased)
        .set({ [untilColumn]: until })
        .where('owner', 'in', owners) as unknown as Update<Tables>,

    /** Gives the row back. False if the claim was lost. */
    release: (db: Db, lease: Lease, to: Omit<Updateable<Tables[Table]>, 'owner'>): Promise<boolean> =>
      change(db, lease, { owner: null, ...to } as Updateable<Tables[Table]>),

    /** Locks the row until the transaction ends, and reads its owner, for `isHeld`. */
    lock: buildOnce((db, id: string) =>
      rows(db).selectFrom(leased).select('owner').where('id', '=', id).forUpdate(),
    ),

    /** The row, as long as the claim is valid: for statements that depend on more than the claim. */
    heldBy:
      (lease: Lease) =>
      (builder: ExpressionBuilder<Tables, Table>): Expression<SqlBool> =>
        isHeldBy(lease)(builder as unknown as ExpressionBuilder<LeasedRows, 'leased'>),

    /** The rows whose leases ended before that time. */
    expired:
      (before: number) =>
      (builder: ExpressionBuilder<Tables, Table>): Expression<SqlBool> => {
        const eb = builder as unknown as ExpressionBuilder<LeasedRows, 'leased'>;
        return eb.and([eb('owner', 'is not', null), eb(untilColumn, '<', before)]);
      },
  };
}
