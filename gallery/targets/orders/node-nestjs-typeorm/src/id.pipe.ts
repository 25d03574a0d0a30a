import { Injectable, NotFoundException, type PipeTransform } from "@nestjs/common";

// A text that is no id names nothing, as an id that nothing has.
@Injectable()
export class IdPipe implements PipeTransform<string, number> {
  transform(value: string) {
    const id = Number(value);
    if (!/^\d+$/.test(value) || !Number.isSafeInteger(id)) {
      throw new NotFoundException();
    }
    return id;
  }
}
