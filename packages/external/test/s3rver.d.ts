declare module 's3rver' {
  import type { Readable } from 'node:stream';

  export interface Written {
    readonly size: number;
    readonly md5: string;
  }

  /** Keeps objects, and parts of uploads, as files. */
  export interface FileStore {
    readonly rootDirectory: string;
    getResourcePath(bucket: string, key: string | undefined, resource: string): string;
    putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>;
    putObject(object: {
      readonly bucket: string;
      readonly key: string;
      readonly content: Readable;
      readonly metadata: object;
    }): Promise<Written>;
    putPart(bucket: string, id: string, part: number, content: Readable): Promise<Written>;
  }

  export default class S3rver {
    constructor(options: {
      readonly address: string;
      readonly port: number;
      readonly silent: boolean;
      readonly directory: string;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    readonly store: FileStore;
    run(): Promise<{ readonly port: number }>;
    close(): Promise<void>;
  }
}
