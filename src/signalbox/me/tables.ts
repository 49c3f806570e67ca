// The table of preferences.
declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    preferences: {
      member_id: string;
      /** A JSON object. */
      value: string;
      updated_at: number;
    };
  }
}

export {};
