/** Objects that are written: they appear whole, by the last request, or not at all. */

import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { atOnce } from '../at-once.js';
import type { Place } from './address.js';
import { answered, statusOf } from './error.js';

/** Parts that an upload has at most. */
export const MAX_PARTS = 10_000;
/** Names the upload that an object came from, in its metadata. */
const MARK = 'keysweep-upload';

/**
 * An object that is being written. It holds the bytes that make no whole part yet; whole parts are
 * sent from where they lie. An object of less than a part is put by one request.
 */
export class Upload {
  readonly #client: S3Client;
  readonly #place: Place;
  readonly #what: string;
  readonly #partBytes: number;
  readonly #requests: number;
  readonly #mark: string = randomUUID();
  readonly #parts: CompletedPart[] = [];
  #id: string | undefined;
  #held: Uint8Array | undefined;
  #filled = 0;

  constructor(
    client: S3Client,
    place: Place,
    { partBytes, requests }: { readonly partBytes: number; readonly requests: number },
  ) {
    this.#client = client;
    this.#place = place;
    this.#what = `cannot write 's3://${place.Bucket}/${place.Key}'`;
    this.#partBytes = partBytes;
    this.#requests = requests;
  }

  write(bytes: Uint8Array): Promise<void> {
    return answered(this.#what, async () => {
      const whole: Uint8Array[] = [];
      let from = 0;
      if (this.#filled > 0) {
        from = Math.min(this.#partBytes - this.#filled, bytes.length);
        this.#hold(bytes.subarray(0, from));
        if (this.#filled < this.#partBytes) return;
        whole.push(this.#held as Uint8Array);
        this.#filled = 0;
      }
      for (; bytes.length - from >= this.#partBytes; from += this.#partBytes) {
        whole.push(bytes.subarray(from, from + this.#partBytes));
      }
      await this.#send(whole);
      this.#hold(bytes.subarray(from));
    });
  }

  /** Makes the object, in place of what was there. */
  async finish(): Promise<void> {
    const rest = (this.#held ?? new Uint8Array(0)).subarray(0, this.#filled);
    await answered(this.#what, async () => {
      if (this.#id === undefined) {
        await this.#client.send(new PutObjectCommand({ ...this.#place, Body: rest }));
      } else {
        if (rest.length > 0) await this.#send([rest]);
        await this.#complete(this.#id);
      }
    });
    this.#id = undefined;
    this.#held = undefined;
  }

  /** Gives up what was sent. */
  async abort(): Promise<void> {
    this.#held = undefined;
    if (this.#id === undefined) return;
    const upload = { ...this.#place, UploadId: this.#id };
    await answered(`${this.#what}: the upload '${this.#id}' stays`, async () => {
      try {
        await this.#client.send(new AbortMultipartUploadCommand(upload));
      } catch (error) {
        // An attempt before this one has done it.
        if (statusOf(error) !== 404) throw error;
      }
    });
    this.#id = undefined;
  }

  #hold(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#held ??= new Uint8Array(this.#partBytes);
    this.#held.set(bytes, this.#filled);
    this.#filled += bytes.length;
  }

  /** Sends the next parts. */
  async #send(bodies: readonly Uint8Array[]): Promise<void> {
    if (bodies.length === 0) return;
    const first = this.#parts.length + 1;
    if (first + bodies.length - 1 > MAX_PARTS) {
      throw new Error(
        `it takes more than ${MAX_PARTS} parts of ${this.#partBytes} bytes; ` +
          'give s3Storage a larger partBytes',
      );
    }
    this.#id ??= await this.#create();
    const upload = { ...this.#place, UploadId: this.#id };
    const numbered = bodies.map((Body, i) => ({ PartNumber: first + i, Body }));
    await atOnce(this.#requests, numbered, async (part) => {
      const { ETag } = await this.#client.send(new UploadPartCommand({ ...upload, ...part }));
      this.#parts[part.PartNumber - 1] = { PartNumber: part.PartNumber, ETag };
    });
  }

  async #create(): Promise<string> {
    const Metadata = { [MARK]: this.#mark };
    const command = new CreateMultipartUploadCommand({ ...this.#place, Metadata });
    const { UploadId } = await this.#client.send(command);
    if (UploadId === undefined) throw new Error('its store gives no name to the upload');
    return UploadId;
  }

  async #complete(UploadId: string): Promise<void> {
    const MultipartUpload = { Parts: this.#parts };
    const command = { ...this.#place, UploadId, MultipartUpload };
    try {
      await this.#client.send(new CompleteMultipartUploadCommand(command));
    } catch (error) {
      // The answer of an attempt that did it may have been lost: the next finds no such upload.
      if (!(await this.#isThere())) throw error;
    }
  }

  /** Whether the object is the one of this upload. */
  async #isThere(): Promise<boolean> {
    try {
      const { Metadata } = await this.#client.send(new HeadObjectCommand(this.#place));
      return Metadata?.[MARK] === this.#mark;
    } catch {
      // The caller has the error that counts.
      return false;
    }
  }
}
