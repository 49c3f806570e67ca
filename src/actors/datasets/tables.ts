// The tables of datasets.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    datasets: {
      storage_id: string;
      /** Also the sequence number that the next item gets. */
      item_count: number;
      /** Without those that have nothing but hidden fields. */
      clean_item_count: number;
      bytes: number;
      read_count: number;
      /** Names as JSON strings, a line each, as they were first seen; one may stand there twice. */
      fields: string;
      /** When items were last added. */
      modified_at: number;
    };
    dataset_chunks: {
      dataset_id: string;
      first_seq: number;
      item_count: number;
      bytes: number;
      /** The columns of its items, told by some of them. */
      outline: string | null;
      /** One item on each line: JSON.stringify writes no line break, nor a NUL or half a surrogate pair. */
      items: string;
    };
    dataset_statistics: {
      dataset_id: string;
      /** As a JSON string, which every engine can keep. */
      field: string;
      min: number | null;
      max: number | null;
      null_count: number;
      empty_count: number;
    };
  }
}

export {};
