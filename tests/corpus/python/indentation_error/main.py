def area(width, height):
    result = width * height
    if result < 0:
        raise ValueError("negative")
  return result


print(area(3, 4))
